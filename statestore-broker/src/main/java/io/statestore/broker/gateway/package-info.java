/**
 * The state store on somebody else's MQTT 5 broker, as an ordinary client of it. Knows
 * what no client can do there, and does the documented next best thing (docs/gateway.md).
 */
@NullMarked
package io.statestore.broker.gateway;

import org.jspecify.annotations.NullMarked;
