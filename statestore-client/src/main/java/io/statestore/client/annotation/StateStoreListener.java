package io.statestore.client.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.statestore.client.KeyChange.Operation;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks a method as a listener for key changes. The method is called with every change,
 * in version order and one call at a time for each key, and never on a network thread.
 * After an outage, a key that has changed is delivered as a single change marked as
 * resynchronized. {@link io.statestore.client.watch.KeyWatches} describes the guarantees.
 * <p>
 * The method accepts these arguments, in any order:
 * <ul>
 * <li>the value, converted to the argument's type, and validated if it is annotated with
 * {@code @Valid} or {@code @Validated}; {@code null} or an empty {@code Optional} if the
 * key was deleted,</li>
 * <li>{@link io.statestore.client.KeyChange} with the value and all its metadata,</li>
 * <li>{@link io.statestore.protocol.Version}, {@link io.statestore.client.Key}, and
 * {@link Operation},</li>
 * <li>{@code @Header} with a name from {@link StateStoreHeaders},</li>
 * <li>{@link org.springframework.messaging.Message} with the value, declared as
 * {@code Message<Optional<T>>} if the key may be deleted.</li>
 * </ul>
 * The method's return value is ignored. Its exceptions are passed to the error handler.
 * <p>
 * If a bean is not a singleton, for example a prototype, its listeners are unregistered
 * when the bean is destroyed or garbage collected. The listeners do not prevent garbage
 * collection of the bean.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(StateStoreListener.Container.class)
public @interface StateStoreListener {

	/**
	 * Keys to watch, each at most 32,700 bytes. A string with {@code *}, {@code ?}, or
	 * {@code [} is a pattern that watches all matching keys, see
	 * {@link io.statestore.client.StateStoreOperations#watchPattern}. Placeholders
	 * ({@code ${…}}) and expressions ({@code #{…}}) are resolved. An expression may
	 * return a string, a {@link io.statestore.client.Key}, bytes, or a collection or
	 * array of them.
	 * @return the keys or patterns, at least one
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] keys() default {};

	/**
	 * Unique id of this listener in the {@link StateStoreListenerRegistry}, in logs, and
	 * in metrics. By default, the bean and method names, followed by a number if that id
	 * is already used. May contain placeholders.
	 * @return the id, empty for the default
	 */
	String id() default "";

	/**
	 * Name of the {@link io.statestore.client.StateStoreOperations} bean that watches the
	 * keys, for applications with several brokers. By default, the
	 * {@code stateStoreTemplate} bean, or the only bean of that type. May contain
	 * placeholders.
	 * @return the bean name, empty for the default
	 */
	String template() default "";

	/**
	 * Operations to call the method for, all by default.
	 * @return the operations, at least one
	 */
	Operation[] operations() default { Operation.SET, Operation.DELETE };

	/**
	 * Whether to first call the method once for each existing key, with its current
	 * value.
	 * @return {@code true} to receive current values
	 */
	boolean initial() default false;

	/**
	 * Whether to omit changes that this application writes itself.
	 * @return {@code true} to omit them
	 */
	boolean noLocal() default false;

	/**
	 * Name of the {@link io.statestore.client.KeyChangeErrorHandler} bean that handles
	 * failures. By default, the only bean of that type. If there is no such bean, or more
	 * than one, failures are logged. May contain placeholders.
	 * @return the bean name, empty for the default
	 */
	String errorHandler() default "";

	/**
	 * Whether the listener starts with the application, {@code true} or {@code false}. If
	 * not, {@link StateStoreListenerRegistry#start(String)} starts it. May contain
	 * placeholders.
	 * @return {@code "true"} by default
	 */
	String autoStartup() default "true";

	/** Container for several annotations on one method. */
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Container {

		/**
		 * Annotations of the method.
		 * @return the annotations
		 */
		StateStoreListener[] value();

	}

}
