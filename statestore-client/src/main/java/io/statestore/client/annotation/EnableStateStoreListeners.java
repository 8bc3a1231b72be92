package io.statestore.client.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Calls methods with {@link StateStoreListener}. Needs one bean of the type
 * {@link io.statestore.client.StateStoreOperations} that was made with a
 * {@link io.statestore.client.KeyObserver}. Applications with the Spring Boot starter
 * need not use it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(StateStoreListenerConfiguration.class)
public @interface EnableStateStoreListeners {

}
