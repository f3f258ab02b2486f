package io.millrace.protocol;

import io.millrace.core.id.JobId;

/** The names under which leaders are elected and found. */
public final class ComponentNames {
  public static final String DISPATCHER = "dispatcher";
  public static final String RESOURCE_MANAGER = "resourcemanager";

  private ComponentNames() {}

  public static String jobMaster(JobId job) {
    return "jobmaster-" + job;
  }
}
