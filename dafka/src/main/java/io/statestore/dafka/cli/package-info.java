/**
 * Dafka on the command line: a program with a subcommand for each kind of node. The
 * program reads records from standard input, writes them to standard output, and prints
 * all messages to standard error.
 */
@NullMarked
package io.statestore.dafka.cli;

import org.jspecify.annotations.NullMarked;
