package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.core.testing.Behaviour;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class PlanJsonTest {
  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void aJobGraphHasTheShapeOfRestPlans() {
    JobGraph graph =
        Programs.jobGraph(
            env ->
                env.parallelism(2)
                    .fromElements("a")
                    .keyBy(word -> word)
                    .count()
                    .print()
                    .name("say \"it\"\\\n\u0001"));
    String source = graph.vertices().get(0).id().toString();
    String count = graph.vertices().get(1).id().toString();
    assertThat(Graphs.json(graph))
        .isEqualTo(
            """
            {"jid":"00000000000000010000000000000002","name":"test","type":"STREAMING","nodes":[\
            {"id":"%s","operator":"","parallelism":2,"operator_strategy":"",\
            "description":"Source: collection<br/>","optimizer_properties":{}},\
            {"id":"%s","operator":"","parallelism":2,"operator_strategy":"",\
            "description":"count<br/>+- Sink: say \\"it\\"\\\\\\n\\u0001<br/>",\
            "optimizer_properties":{},"inputs":[{"id":"%s","num":0,\
            "exchange":"pipelined_bounded","ship_strategy":"HASH"}]}]}"""
                .formatted(source, count, source));
  }

  @Test
  void aForkIsDrawnAsATree() {
    JobGraph graph =
        Programs.jobGraph(
            env -> {
              var numbers = env.fromElements(1);
              numbers.map(n -> n).name("a").map(n -> n).name("b");
              numbers.map(n -> n).name("c").print();
            });
    assertThat(ChainDescription.tree(graph.vertices().get(0).operators()))
        .isEqualTo("Source: collection<br/>:- a<br/>:  +- b<br/>+- c<br/>   +- Sink: print<br/>");
  }

  @Test
  @Behaviour("A6: info prints each graph as JSON without running the job")
  void aStreamGraphListsEveryOperator() {
    StreamGraph graph =
        Graphs.streamGraph(
            Programs.program(env -> env.fromElements(1).map(n -> n).rebalance().print()));
    assertThat(Graphs.json(graph))
        .isEqualTo(
            """
            {"nodes":[\
            {"id":1,"operator_id":"%s","type":"Source: collection","pact":"Data Source",\
            "contents":"Source: collection","parallelism":1,"max_parallelism":128,\
            "slot_sharing_group":"default"},\
            {"id":2,"operator_id":"%s","type":"map","pact":"Operator","contents":"map",\
            "parallelism":1,"max_parallelism":128,"slot_sharing_group":"default",\
            "predecessors":[{"id":1,"ship_strategy":"FORWARD","side":"second"}]},\
            {"id":3,"operator_id":"%s","type":"Sink: print","pact":"Data Sink",\
            "contents":"Sink: print","parallelism":1,"max_parallelism":128,\
            "slot_sharing_group":"default",\
            "predecessors":[{"id":2,"ship_strategy":"REBALANCE","side":"second"}]}]}"""
                .formatted(graph.nodes().stream().map(StreamNode::id).toArray()));
  }

  @Test
  void descriptionsAreShownInPlansInsteadOfNames() {
    Consumer<StreamEnvironment> program =
        env -> env.fromElements(1).map(number -> number).description("adds <nothing>").print();
    assertThat(Graphs.json(Graphs.streamGraph(Programs.program(program))))
        .contains("\"contents\":\"adds <nothing>\"");
    assertThat(Graphs.json(Programs.jobGraph(program))).contains("+- adds &lt;nothing&gt;<br/>");
    assertThat(Programs.jobGraph(program).withoutFunctions().vertices().get(0).operators())
        .extracting(ChainedOperator::description)
        .contains("adds <nothing>");
  }
}
