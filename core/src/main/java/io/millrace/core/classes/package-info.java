/**
 * Isolation of a program's classes from the engine's and from other programs': {@link
 * io.millrace.core.classes.ProgramClassLoader}, used by clients and TaskManagers.
 */
package io.millrace.core.classes;
