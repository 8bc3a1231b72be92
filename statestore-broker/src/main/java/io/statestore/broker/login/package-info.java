/**
 * Logins of MQTT clients: the order in which credentials are verified, and the delay of
 * refusals. Independent of MQTT packets.
 */
@NullMarked
package io.statestore.broker.login;

import org.jspecify.annotations.NullMarked;
