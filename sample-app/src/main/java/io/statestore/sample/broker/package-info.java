/**
 * One of three brokers that form one store. It consists mainly of configuration, in
 * {@code application-broker.yml}.
 */
@NullMarked
package io.statestore.sample.broker;

import org.jspecify.annotations.NullMarked;
