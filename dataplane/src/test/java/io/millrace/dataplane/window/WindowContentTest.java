package io.millrace.dataplane.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.operator.WindowSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowContentTest {
  /** Adds numbers. */
  private static final class Sum implements AggregateFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object create() {
      return 0;
    }

    @Override
    public Object add(Object sum, Object number) {
      return (int) sum + (int) number;
    }

    @Override
    public Object result(Object sum) {
      return sum;
    }
  }

  private static final List<WindowSpec.Content> ALL =
      List.of(
          new WindowSpec.Content.Reduced((sum, number) -> (int) sum + (int) number),
          new WindowSpec.Content.Aggregated(new Sum()),
          new WindowSpec.Content.Records());

  @Test
  void everyPermittedSubclassIsTested() {
    assertThat(ALL)
        .extracting(Object::getClass)
        .contains(WindowSpec.Content.class.getPermittedSubclasses());
  }

  @Test
  void everyKindOfContentAggregatesRecords() throws Exception {
    for (WindowSpec.Content spec : ALL) {
      WindowContent content = WindowContent.of(spec);

      Object result = content.result(content.fold(content.fold(null, 1), 2));

      assertThat(result)
          .as("%s", spec)
          .isEqualTo(spec instanceof WindowSpec.Content.Records ? List.of(1, 2) : (Object) 3);
    }
  }
}
