// Positions of vertices and edges.

const NODE = {width: 250, height: 118};
const GAP = {x: 90, y: 26};

/** Above this size dagre takes seconds; layers of vertices are drawn without crossing reduction. */
const LARGE = 150;

/** @param nodes of a plan of the REST API @returns {nodes: Map id -> {x, y}, edges: [{from, to, points, label}], width, height} */
export function layout(nodes) {
  return nodes.length > LARGE ? layers(nodes) : withDagre(nodes);
}

function edgesOf(nodes) {
  return nodes.flatMap(node =>
    (node.inputs ?? []).map(input => ({from: input.id, to: node.id, label: input.ship_strategy, exchange: input.exchange})),
  );
}

function withDagre(nodes) {
  const graph = new window.dagre.graphlib.Graph({multigraph: true});
  graph.setGraph({rankdir: 'LR', nodesep: GAP.y, ranksep: GAP.x, marginx: 20, marginy: 20});
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

function layers(nodes) {
  const edges = edgesOf(nodes);
  const depth = depths(nodes);
  const columns = [];
  for (const node of nodes) (columns[depth.get(node.id)] ??= []).push(node.id);
  const positions = new Map();
  columns.forEach((column, x) =>
    column.forEach((id, y) =>
      positions.set(id, {x: 20 + x * (NODE.width + GAP.x), y: 20 + y * (NODE.height + GAP.y)}),
    ),
  );
  return {
    nodes: positions,
    edges: edges.map(edge => {
      const [from, to] = [positions.get(edge.from), positions.get(edge.to)];
      const start = {x: from.x + NODE.width, y: from.y + NODE.height / 2};
      const end = {x: to.x, y: to.y + NODE.height / 2};
      return {...edge, points: [start, {x: (start.x + end.x) / 2, y: (start.y + end.y) / 2}, end]};
    }),
    width: 40 + columns.length * (NODE.width + GAP.x),
    height: 40 + Math.max(1, ...columns.map(column => column.length)) * (NODE.height + GAP.y),
  };
}

/** The longest path from a source to each vertex. Plans list producers first. */
function depths(nodes) {
  const depth = new Map();
  for (const node of nodes) {
    depth.set(node.id, Math.max(0, ...(node.inputs ?? []).map(input => (depth.get(input.id) ?? 0) + 1)));
  }
  return depth;
}

export {NODE};
