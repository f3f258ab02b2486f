// Positions of vertices and edges.

const NODE = {width: 250, height: 118};
/** Room for the labels of edges, which is needed along the flow. */
const GAP = {along: 130, across: 26};
const MARGIN = 20;

/** Above this size dagre takes seconds; layers of vertices are sorted instead. */
const LARGE = 150;
const SWEEPS = 2;

/**
 * @param nodes of a plan of the REST API
 * @param vertical whether the flow goes down, for narrow windows
 * @returns {nodes: Map id -> {x, y}, edges: [{from, to, points, label}], width, height}
 */
export function layout(nodes, vertical) {
  return nodes.length > LARGE ? layers(nodes, vertical) : withDagre(nodes, vertical);
}

function edgesOf(nodes) {
  return nodes.flatMap(node =>
    (node.inputs ?? []).map(input => ({from: input.id, to: node.id, label: input.ship_strategy, exchange: input.exchange})),
  );
}

function withDagre(nodes, vertical) {
  const graph = new window.dagre.graphlib.Graph({multigraph: true});
  const ranksep = vertical ? 56 : GAP.along;
  graph.setGraph({rankdir: vertical ? 'TB' : 'LR', nodesep: GAP.across, ranksep, marginx: MARGIN, marginy: MARGIN});
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, {...NODE});
  const edges = edgesOf(nodes);
  edges.forEach((edge, i) => graph.setEdge(edge.from, edge.to, {}, String(i)));
  window.dagre.layout(graph);
  const {width, height} = graph.graph();
  return {
    nodes: new Map(nodes.map(node => [node.id, topLeft(graph.node(node.id))])),
    edges: edges.map((edge, i) => ({...edge, points: graph.edge(edge.from, edge.to, String(i)).points})),
    width,
    height,
  };
}

const topLeft = ({x, y}) => ({x: x - NODE.width / 2, y: y - NODE.height / 2});

function layers(nodes, vertical) {
  const edges = edgesOf(nodes);
  const ranks = sorted(ranksOf(nodes), edges);
  const step = vertical
    ? {along: NODE.height + 56, across: NODE.width + GAP.across}
    : {along: NODE.width + GAP.along, across: NODE.height + GAP.across};
  const positions = new Map();
  ranks.forEach((rank, depth) =>
    rank.forEach((id, i) => {
      const [along, across] = [MARGIN + depth * step.along, MARGIN + i * step.across];
      positions.set(id, vertical ? {x: across, y: along} : {x: along, y: across});
    }),
  );
  const along = ranks.length * step.along;
  const across = Math.max(1, ...ranks.map(rank => rank.length)) * step.across;
  return {
    nodes: positions,
    edges: edges.map(edge => ({...edge, points: straight(positions.get(edge.from), positions.get(edge.to), vertical)})),
    width: 2 * MARGIN + (vertical ? across : along),
    height: 2 * MARGIN + (vertical ? along : across),
  };
}

function straight(from, to, vertical) {
  const start = vertical ? {x: from.x + NODE.width / 2, y: from.y + NODE.height} : {x: from.x + NODE.width, y: from.y + NODE.height / 2};
  const end = vertical ? {x: to.x + NODE.width / 2, y: to.y} : {x: to.x, y: to.y + NODE.height / 2};
  return [start, {x: (start.x + end.x) / 2, y: (start.y + end.y) / 2}, end];
}

/** Each vertex is behind the longest path from a source to it. Plans list producers first. */
function ranksOf(nodes) {
  const depth = new Map();
  const ranks = [];
  for (const node of nodes) {
    const rank = Math.max(0, ...(node.inputs ?? []).map(input => (depth.get(input.id) ?? 0) + 1));
    depth.set(node.id, rank);
    (ranks[rank] ??= []).push(node.id);
  }
  return ranks;
}

/** Moves each vertex to the mean position of its producers, which removes most crossings. */
function sorted(ranks, edges) {
  const producers = new Map();
  for (const edge of edges) {
    if (!producers.has(edge.to)) producers.set(edge.to, []);
    producers.get(edge.to).push(edge.from);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const position = new Map();
    for (const rank of ranks) {
      const wanted = new Map(rank.map((id, i) => [id, mean(producers.get(id), position) ?? i]));
      rank.sort((a, b) => wanted.get(a) - wanted.get(b));
      rank.forEach((id, i) => position.set(id, i));
    }
  }
  return ranks;
}

function mean(ids, position) {
  if (!ids) return undefined;
  return ids.reduce((sum, id) => sum + (position.get(id) ?? 0), 0) / ids.length;
}

export {NODE};
