/**
 * The MQTT 5 home of the state store: an embedded broker that carries ordinary MQTT, and
 * one handler per connection in front of it that takes the requests out of the stream and
 * puts replies and notifications into it.
 */
@NullMarked
package io.statestore.broker.mqtt;

import org.jspecify.annotations.NullMarked;
