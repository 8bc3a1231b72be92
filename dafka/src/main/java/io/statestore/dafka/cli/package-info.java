/**
 * Dafka on the command line: one program with a subcommand for each kind of node. Records
 * go through standard input and output, everything else to standard error.
 */
@NullMarked
package io.statestore.dafka.cli;

import org.jspecify.annotations.NullMarked;
