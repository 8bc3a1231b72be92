package io.statestore.dafka.spring.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks a method to be called with every record of some topics, in the order of each
 * partition, one call at a time, on a thread of the listener. If the listener is too
 * slow, records wait in limited memory and at the stores.
 * <p>
 * A record counts as consumed when the call has ended. Offsets are saved every second and
 * when the listener stops. After a crash, later records are delivered again.
 * <p>
 * Arguments of the method, in any order:
 * <ul>
 * <li>the value, converted to the type of the argument,</li>
 * <li>{@link io.statestore.dafka.DafkaRecord} with the content and its position,</li>
 * <li>{@link io.statestore.dafka.Position},
 * {@link io.statestore.dafka.TopicPartition},</li>
 * <li>{@code @Header} with a name of {@link DafkaHeaders},</li>
 * <li>{@link org.springframework.messaging.Message}.</li>
 * </ul>
 * With {@link #batch()} they are a {@code List} of values and a
 * {@code List<DafkaRecord>}, one or both. The return value of the method is ignored. Its
 * exceptions are passed to the error handler.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(DafkaListener.Container.class)
public @interface DafkaListener {

	/**
	 * Topics to read. {@code ${…}} and {@code #{…}} are resolved. An expression may
	 * return a string, or a collection or array of strings.
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] topics() default {};

	/**
	 * Unique id of this listener in the {@link DafkaListenerRegistry}, in logs and
	 * metrics, and of its offsets. A listener with a new id has no offsets. Defaults to
	 * the names of bean and method. May contain placeholders.
	 */
	String id() default "";

	/**
	 * Start in partitions without an offset, {@code earliest} or {@code latest}. Defaults
	 * to the setting of the consumer factory. May contain placeholders.
	 */
	String offsetReset() default "";

	/** Whether to call the method with lists of records instead of single ones. */
	boolean batch() default false;

	/**
	 * Name of the {@link DafkaErrorHandler} bean for failures. By default failures are
	 * logged and their records skipped. May contain placeholders.
	 */
	String errorHandler() default "";

	/**
	 * Whether to start with the application ({@code true} or {@code false}). Otherwise
	 * the {@link DafkaListenerRegistry} starts the listener on request. May contain
	 * placeholders.
	 */
	String autoStartup() default "true";

	/** Several listeners on one method. */
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Container {

		DafkaListener[] value();

	}

}
