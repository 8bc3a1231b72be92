/**
 * Keys and options of CURVE (ZeroMQ RFC 26), the encryption and authentication of Dafka
 * nodes.
 */
@NullMarked
package io.statestore.dafka.curve;

import org.jspecify.annotations.NullMarked;
