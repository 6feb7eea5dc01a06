# The same run in a container; Quarto renders, and a GPU is used when the container is given one.
#   docker build -t attention-mixing .
#   docker run --name report attention-mixing          # with a GPU: docker run --gpus all ...
#   docker cp report:/home/report/project/site site
#
# Debian, because Quarto comes as a Debian package; slim, because nothing is compiled; Python 3.13,
# because the pins of constraints.txt install on it from wheels and pure Python. No CUDA base: the
# torch of PyPI brings CUDA along and needs the host's driver only.
FROM python:3.13-slim

# git: DVC works in a repository. fonts-noto-cjk: Japanese for programs that use the system's fonts;
# figures and PDF bring their own, but for scripts that fonts-noto-core and fonts-symbola have.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates curl fonts-noto-cjk \
      fonts-noto-core fonts-symbola git make \
 && rm -rf /var/lib/apt/lists/*

# Checksums of the packages of this release; another one stops the build. Change all three together.
ARG QUARTO_VERSION=1.9.38
ARG QUARTO_SHA256_AMD64=bd0d73c1042fc5f719fb87753f0874c11344e516ee2cfbe4fe3ed4e4458c3988
ARG QUARTO_SHA256_ARM64=bafb37009e54915ad1d4b4a638d877e9c14c5467c7df1a8cfa217fb3558e12f8
RUN architecture=$(dpkg --print-architecture) \
 && case "$architecture" in \
      amd64) sha256=$QUARTO_SHA256_AMD64 ;; \
      arm64) sha256=$QUARTO_SHA256_ARM64 ;; \
      *) echo "Quarto has no package for $architecture; build for amd64 or arm64." >&2; exit 1 ;; \
    esac \
 && release=https://github.com/quarto-dev/quarto-cli/releases/download/v$QUARTO_VERSION \
 && curl --fail --silent --show-error --location --output /tmp/quarto.deb \
      "$release/quarto-$QUARTO_VERSION-linux-$architecture.deb" \
 && echo "$sha256  /tmp/quarto.deb" | sha256sum --check --strict \
 && dpkg --install /tmp/quarto.deb \
 && rm /tmp/quarto.deb \
 && quarto --version

RUN useradd --create-home --uid 1000 report \
 && install --directory --owner report --group report /home/report/project
USER report
ENV HOME=/home/report
WORKDIR /home/report/project

# The environment first, so that editing the source does not install it again. The empty files stand
# for those that the metadata names; the source replaces them.
COPY --chown=report:report pyproject.toml constraints.txt ./
RUN mkdir attention_mixing \
 && touch attention_mixing/__init__.py README.md LICENSE \
 && python3 -m venv .venv \
 && .venv/bin/python -m pip install --no-cache-dir --constraint constraints.txt --editable '.[dev]'

# make installs again when pyproject.toml is newer than .venv/installed: a file copied from outside
# keeps its time, so the stamp is set last.
COPY --chown=report:report . .
RUN touch .venv/installed

CMD ["make", "repro"]
