"""Words that several chapters' figures share, in the page's language."""

from __future__ import annotations

Words = dict[str, str]

_WORDS: dict[str, tuple[str, str]] = {
    "layer": ("layer", "層"),
    "nth_layer": ("layer {}", "第 {} 層"),
    "head": ("head", "ヘッド"),
    "query": ("query", "クエリ"),
    "key": ("key", "キー"),
    "raw": ("raw attention", "生の注意重み"),
    "residual": ("with residual", "残差接続込み"),
    "rollout": ("rollout", "ロールアウト"),
    "rollout_measured": ("rollout, measured residual", "ロールアウト（実測の残差）"),
    "flow": ("flow", "フロー"),
    "flow_measured": ("flow, measured residual", "フロー（実測の残差）"),
    "attn_w": ("Attn-W", "Attn-W"),
    "attn_n": ("Attn-N", "Attn-N"),
    "attnres_w": ("AttnRes-W", "AttnRes-W"),
    "attnres_n": ("AttnRes-N", "AttnRes-N"),
    "attnresln_n": ("AttnResLN-N", "AttnResLN-N"),
    "attnresln_ff_n": ("… and FF", "…と FF"),
    "attnresln_ffres_n": ("… and FF, residual", "…と FF と残差"),
    "attnresln_ffresln_n": ("whole layer", "層全体"),
    "globenc": ("GlobEnc", "GlobEnc"),
    "alti": ("ALTI", "ALTI"),
    "umap": ("UMAP", "UMAP"),
    "tsne": ("t-SNE", "t-SNE"),
    "pca": ("PCA", "PCA"),
    "trustworthiness": ("trustworthiness", "信頼性"),
    "continuity": ("continuity", "連続性"),
    "overlap": ("neighbour overlap", "近傍の一致率"),
    "pretrained": ("pretrained", "事前学習のみ"),
    "finetuned": ("fine-tuned", "ファインチューニング後"),
    "experiment": ("experiment", "実験"),
    "model": ("model", "モデル"),
    "method": ("method", "手法"),
    "variant": ("model state", "モデルの状態"),
    "tokens": ("tokens", "トークン数"),
    "mean": ("mean", "平均"),
    "mixing": ("mixing", "混合度合い"),
    "entropy": ("entropy / ln n", "エントロピー / ln n"),
    "row_distance": ("distance between rows", "行どうしの距離"),
    "uniform": ("rollout of uniform attention", "一様な注意のロールアウト"),
    "special_share": ("share on special tokens", "特殊トークンの割合"),
    "chapter_index": ("Abstract", "概要"),
    "chapter_setup": ("Set-up", "実験の設定"),
    "chapter_anatomy": ("Anatomy", "解剖"),
    "chapter_mixing": ("Mixing", "混合度合い"),
    "chapter_features": ("Features", "特徴ベクトル"),
    "chapter_propagation": ("Propagation", "注意の伝播"),
    "chapter_geometry": ("Geometry", "幾何"),
    "chapter_heads": ("Heads", "ヘッド"),
    "chapter_faithfulness": ("Faithfulness", "忠実性"),
    "chapter_claims": ("Claims", "主張の検証"),
    "of": ("{}: {}", "{}：{}"),
    "beside": ("{}, {}", "{}、{}"),
    "not_defined": ("undefined", "定義できない"),
    "no_seed": ("no seed", "シードなし"),
}


def words(language: str, **more: tuple[str, str]) -> Words:
    """Shared words and a chapter's own, each given as ``(English, Japanese)``."""
    index = ("en", "ja").index(language)
    return {key: pair[index] for key, pair in (_WORDS | more).items()}
