// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// The exchanges of http-probe with Node's fetch: node fetch_client.mjs WAY URL CONCURRENCY COUNT

const [way, url, concurrency, count] = process.argv.slice(2).map((word, index) => (index < 2 ? word : Number(word)));
const order = { symbol: "SWFT", quantity: 100, price: 187.25, isBuy: true };
let lastID = 0;

async function post(path, body) {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

const exchanges = {
  async get() {
    const response = await fetch(url + "/repos/swift/nio", { headers: { Accept: "application/json" } });
    if (!response.ok || (await response.json()).id !== 3141592) throw new Error("wrong answer");
  },
  async post() {
    if ((await post("/echo", order)).quantity !== 100) throw new Error("wrong answer");
  },
  async call() {
    const id = ++lastID;
    const response = await post("/rpc", { jsonrpc: "2.0", id, method: "echo", params: order });
    if (response.id !== id || response.result.quantity !== 100) throw new Error("wrong answer");
  },
};

async function run(total) {
  const latencies = [];
  let begun = 0;
  const work = async () => {
    while (begun < total) {
      begun += 1;
      const sent = performance.now();
      await exchanges[way]();
      latencies.push((performance.now() - sent) * 1000);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return latencies.sort((a, b) => a - b);
}

await run(2 * concurrency);
const usedBefore = process.cpuUsage();
const start = performance.now();
const latencies = await run(count);
const seconds = (performance.now() - start) / 1000;
const used = process.cpuUsage(usedBefore);
console.log(
  JSON.stringify({
    calls: latencies.length,
    calls_per_second: latencies.length / seconds,
    processor_us_per_call: (used.user + used.system) / latencies.length,
    p50_us: latencies[Math.floor(latencies.length / 2)],
  }),
);
