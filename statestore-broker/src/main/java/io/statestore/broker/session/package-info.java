/**
 * MQTT sessions, retained messages, and wills as a single-threaded state machine (MQTT 5
 * sections 3.1.2.11, 3.3.1.3, and 4.1). Start reading at
 * {@link io.statestore.broker.session.Sessions}.
 */
@NullMarked
package io.statestore.broker.session;

import org.jspecify.annotations.NullMarked;
