package io.statestore.client.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Enables {@link StateStoreListener} methods. Requires a
 * {@link io.statestore.client.StateStoreOperations} bean with a
 * {@link io.statestore.client.KeyWatcher}. If there are several, one must be named
 * {@code stateStoreTemplate}, or every listener must name its
 * {@link StateStoreListener#template() template}. A {@link StateStoreListenerRegistry}
 * bean defined by the application replaces the default registry. Applications that use
 * the Spring Boot starter do not need this annotation.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(StateStoreListenerConfiguration.class)
public @interface EnableStateStoreListeners {

}
