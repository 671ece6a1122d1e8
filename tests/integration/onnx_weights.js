// Evaluates an ONNX file with onnxruntime. Reads {"model": path, "columns": {name: {"type": …, "data": […]}}} from stdin, where
// null is a missing number, and prints the names of the inputs and the rows of the output as JSON.
const path = require("path");
const { InferenceSession, Tensor } = require(
  path.join(__dirname, "../../.deps/onnxruntime/node_modules/onnxruntime-node"));

const ARRAYS = { float32: Float32Array, float64: Float64Array };

function tensor({ type, data }) {
  const values = type === "string" ? data : ARRAYS[type].from(data, (value) => (value === null ? NaN : value));
  return new Tensor(type, values, [data.length, 1]);
}

async function main() {
  const { model, columns } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1 });
  const feeds = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, tensor(column)]));
  const [output] = session.outputNames;
  const { data, dims } = (await session.run(feeds))[output];
  const rows = Array.from({ length: dims[0] }, (_, i) => Array.from(data.slice(i * dims[1], (i + 1) * dims[1])));
  console.log(JSON.stringify({ inputs: session.inputNames, output, rows }));
}

main();
