/**
 * Logins of MQTT clients: the order in which credentials are verified, and how refusals
 * are delayed. Independent of MQTT packets.
 */
@NullMarked
package io.statestore.broker.login;

import org.jspecify.annotations.NullMarked;
