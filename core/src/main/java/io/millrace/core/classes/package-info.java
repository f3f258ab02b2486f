/**
 * How a program's classes are kept apart from the engine's and from those of other programs: {@link
 * io.millrace.core.classes.ProgramClassLoader}, the same in clients and in TaskManagers.
 */
package io.millrace.core.classes;
