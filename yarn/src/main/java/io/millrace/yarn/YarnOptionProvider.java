package io.millrace.yarn;

import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.OptionProvider;
import java.util.List;
import java.util.Map;

/** Declares the options of clusters on YARN. */
public final class YarnOptionProvider implements OptionProvider {
  @Override
  public List<Option<?>> options() {
    return DeclaredOptions.in(YarnOptions.class);
  }

  @Override
  public Map<String, String> unsupported() {
    return Map.of("yarn.*", "The option of YARN is not supported");
  }
}
