/**
 * A client that speaks ZMTP byte by byte, and tests of nodes that use it.
 */
@NullMarked
package io.statestore.dafka.zmtp;

import org.jspecify.annotations.NullMarked;
