/**
 * The command {@code new}, which writes a Maven or Gradle project with a program. {@link
 * io.millrace.cli.project.NewCommand} is the entry; the files of a project are templates beside it.
 */
package io.millrace.cli.project;
