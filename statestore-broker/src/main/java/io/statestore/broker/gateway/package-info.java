/**
 * The state store running as an ordinary client of an existing MQTT 5 broker. Differences
 * from the embedded broker are documented in docs/deployment.md.
 */
@NullMarked
package io.statestore.broker.gateway;

import org.jspecify.annotations.NullMarked;
