/**
 * One of three brokers that form one store. It consists of configuration:
 * {@code application-broker.yml}.
 */
@NullMarked
package io.statestore.sample.broker;

import org.jspecify.annotations.NullMarked;
