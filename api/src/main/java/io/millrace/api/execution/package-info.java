/**
 * The way from a program to the cluster that runs it. {@link io.millrace.api.execution.JobExecutor}
 * is the plug point that targets implement, {@link io.millrace.api.execution.ProgramContext} binds
 * one around a program's {@code main}, and {@link io.millrace.api.execution.JobClient} is what the
 * program holds afterwards.
 */
package io.millrace.api.execution;
