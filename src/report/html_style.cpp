#include "picture/svg.hpp"
#include "report/html_parts.hpp"

namespace lanebank::report {

std::string html_style() {
  return std::string(R"(
:root{color-scheme:light dark;--ground:#ffffff;--raised:#f6f8fa;--text:#1b1f24;--quiet:#57606a;--edge:#d0d7de;--link:#0757b8;
--ideal:#5a87c6;--excess:#c93c20;--mark:#fff1e8;--good:#1a6b34}
@media (prefers-color-scheme: dark){:root{--ground:#0f1318;--raised:#171d25;--text:#e9edf2;--quiet:#9aa5b1;--edge:#343d48;
--link:#7db7ff;--ideal:#5f8fd0;--excess:#ff7a5c;--mark:#33201a;--good:#6fd08c}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
header,main,footer{max-width:1500px;margin:0 auto;padding:0 24px}
h1{font-size:22px;margin:24px 0 4px}h2{font-size:18px;margin:44px 0 6px;overflow-wrap:anywhere}h3{font-size:15px;margin:26px 0 6px}
p{margin:6px 0}p,li,h3,figcaption{overflow-wrap:anywhere}a{color:var(--link)}code,.code{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-9999px}.skip:focus{left:12px;top:8px;background:var(--ground);padding:6px 10px;border:2px solid var(--link)}
.facts,caption,figcaption,footer{color:var(--quiet)}.facts span{margin-right:18px}
.verdict{font-weight:600;font-size:17px}.bad{color:var(--excess);font-weight:600}.good{color:var(--good);font-weight:600}
.scroll{overflow-x:auto;border:1px solid var(--edge);border-radius:6px;margin:10px 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:6px 10px;font-size:13px}
th,td{padding:4px 10px;text-align:left;border-top:1px solid var(--edge);vertical-align:top}
thead th{border-top:0;background:var(--raised);font-weight:600;font-size:13px;white-space:nowrap}
tbody th{font-weight:400;max-width:560px;overflow-wrap:anywhere}
.number{text-align:right;white-space:nowrap}
.source th,.source td{border-top:0;padding:0 10px;white-space:pre;line-height:1.45}.source thead th{padding:4px 10px}.source td:last-child{width:100%}
.source .row-excess{background:var(--mark)}.source .gap td{color:var(--quiet);border-top:1px dashed var(--edge);border-bottom:1px dashed var(--edge)}
.source tbody th{color:var(--quiet);text-align:right;font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px}
.bar{display:block;margin-top:4px}.source .bar{margin-top:3px}.bar-ideal{fill:var(--ideal)}.bar-excess{fill:var(--excess)}
article{border:1px solid var(--edge);border-radius:8px;padding:4px 16px 12px;margin:16px 0}
article h3{margin-top:10px}
.cure{border-left:4px solid var(--good);padding-left:10px}.finding{border-left:4px solid var(--excess);padding-left:10px;margin:10px 0}
h2 code{font-size:16px}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,600px),1fr));gap:0 16px}
figure{margin:12px 0;min-width:0}figure .scroll,.legend{padding:10px}figure svg{max-width:100%;min-width:560px;height:auto}
figcaption{font-weight:600;color:var(--text)}
details{margin:8px 0}summary{cursor:pointer}
.tables{display:flex;flex-wrap:wrap;gap:16px}.tables>div{flex:1 1 320px}
footer{padding:24px;font-size:13px}
@media (forced-colors: active){.bar-ideal{fill:GrayText}.bar-excess{fill:CanvasText}}
@media print{.scroll{overflow:visible}}
)") + picture::svg_style();
}

}  // namespace lanebank::report
