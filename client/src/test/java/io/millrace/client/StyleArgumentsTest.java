package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StyleArgumentsTest {
  @Test
  void lastValueOfAnOptionCounts() {
    StyleArguments arguments = arguments(Map.of("-rs", List.of("2", "4")));
    assertThat(arguments.value("-rs")).contains("4");
    assertThat(arguments.values("-rs")).containsExactly("2", "4");
    assertThat(arguments.value("-rt")).isEmpty();
    assertThat(arguments.values("-rt")).isEmpty();
  }

  @Test
  void argumentsAreEmptyWithoutOptionsAndWord() {
    assertThat(arguments(Map.of()).isEmpty()).isTrue();
    assertThat(arguments(Map.of("-rs", List.of("2"))).isEmpty()).isFalse();
    assertThat(
            new StyleArguments(
                    Optional.of("rack-cluster"),
                    new LinkedHashMap<>(),
                    false,
                    new LinkedHashMap<>())
                .isEmpty())
        .isFalse();
  }

  @Test
  void optionWithoutALabelIsAFlag() {
    assertThat(StyleOption.flag("-rd", "--rackDetached", "Detached.").isFlag()).isTrue();
    StyleOption value = StyleOption.value("-rs", "--rackSlots", "N", "Slots.");
    assertThat(value.isFlag()).isFalse();
    assertThat(value.repeatable()).isFalse();
    assertThat(value.names()).containsExactly("-rs", "--rackSlots");
    assertThat(StyleOption.list("-rt", "--rackTag", "TAG", "A tag.").repeatable()).isTrue();
  }

  private static StyleArguments arguments(Map<String, List<String>> options) {
    return new StyleArguments(
        Optional.empty(), new LinkedHashMap<>(options), false, new LinkedHashMap<>());
  }
}
