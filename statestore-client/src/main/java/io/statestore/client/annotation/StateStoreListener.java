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
 * Calls the method with every change of some keys of the state store. For each key, calls
 * run one at a time in the order of the versions, never on a network thread. A key that
 * changed during an outage is delivered afterwards, as one change marked as
 * resynchronised. See {@link io.statestore.client.observation.KeyObservations} for the
 * guarantees.
 * <p>
 * Arguments of the method, in any order:
 * <ul>
 * <li>the value, converted to the type of the argument: {@code null} where the key was
 * deleted, or an {@code Optional}; validated where it is annotated with
 * {@code @Valid},</li>
 * <li>{@link io.statestore.client.KeyChange} with everything there is to know,</li>
 * <li>{@link io.statestore.protocol.Version}, {@link io.statestore.client.Key},
 * {@link Operation},</li>
 * <li>{@code @Header} with a name of {@link StateStoreHeaders},</li>
 * <li>{@link org.springframework.messaging.Message}, {@code Message<Optional<T>>} where
 * the key may be deleted.</li>
 * </ul>
 * What the method returns is ignored. What it throws goes to the error handler.
 * <p>
 * A listener of a bean that is not a singleton, such as a prototype, is unregistered when
 * the bean is destroyed or garbage collected. It does not keep the bean from being
 * collected.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(StateStoreListener.Container.class)
public @interface StateStoreListener {

	/**
	 * The keys to observe, each at most 32,700 bytes. {@code ${…}} and {@code #{…}} are
	 * resolved; an expression may return a text, a {@link io.statestore.client.Key},
	 * bytes, or a collection or an array of them.
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] keys() default {};

	/**
	 * The name of this listener in the {@link StateStoreListenerRegistry}, in logs and
	 * metrics; unique. By default the name of the bean and the method. May have
	 * placeholders.
	 */
	String id() default "";

	/**
	 * Whether keys given as text may contain {@code *}, {@code ?}, or {@code [}. By
	 * default such a key is refused at startup: it looks like a pattern, and only single
	 * keys can be observed.
	 */
	boolean literal() default false;

	/**
	 * Name of the {@link io.statestore.client.StateStoreOperations} bean to observe the
	 * keys with, for applications with several brokers. By default the bean
	 * {@code stateStoreTemplate}, or the only bean of that type. Placeholders are
	 * resolved.
	 */
	String template() default "";

	/** What to be called for; everything by default. */
	Operation[] operations() default { Operation.SET, Operation.DELETE };

	/**
	 * Whether to be called once with the current value of each key that has one, before
	 * its changes.
	 */
	boolean initial() default false;

	/** Whether to leave out what this application writes itself. */
	boolean ignoreOwn() default false;

	/**
	 * Name of the {@link io.statestore.client.KeyChangeErrorHandler} bean that handles
	 * failures. By default the only bean of that type; failures are logged if there is
	 * none, or more than one. Placeholders are resolved.
	 */
	String errorHandler() default "";

	/**
	 * {@code true} or {@code false}: whether to start with the application, or only when
	 * the {@link StateStoreListenerRegistry} is told to. May have placeholders.
	 */
	String autoStartup() default "true";

	/** Several listeners on one method. */
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Container {

		StateStoreListener[] value();

	}

}
