package io.millrace.api.process;

import io.millrace.api.resource.ExternalResourceInfo;
import java.util.List;

/** The context of the only subtask of an operator without keys. */
public final class UnkeyedContext implements RuntimeContext {
  @Override
  public String name() {
    return "my map";
  }

  @Override
  public int subtask() {
    return 0;
  }

  @Override
  public int parallelism() {
    return 1;
  }

  @Override
  public int attempt() {
    return 0;
  }

  @Override
  public List<ExternalResourceInfo> externalResourceInfos(String resource) {
    return List.of();
  }
}
