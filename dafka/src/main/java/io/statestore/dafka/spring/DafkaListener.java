package io.statestore.dafka.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks a method as a listener for the records of one or more topics. The method is
 * called with every record, in partition order, one call at a time, on the listener's own
 * thread. A slow listener does not slow down producers if a store is running: more
 * records wait in limited memory and in the stores.
 * <p>
 * A record counts as consumed when the call for it has ended. Offsets are saved at an
 * interval, every second by default, and when the listener stops. After a crash, the
 * latest records are delivered again.
 * <p>
 * The method accepts these arguments, in any order:
 * <ul>
 * <li>the value, converted to the argument type, and validated if the argument is
 * annotated with {@code @Valid} or {@code @Validated},</li>
 * <li>{@link io.statestore.dafka.DafkaRecord} with content and position,</li>
 * <li>{@link io.statestore.dafka.Position} and
 * {@link io.statestore.dafka.TopicPartition},</li>
 * <li>{@code @Header} with a name of {@link DafkaHeaders},</li>
 * <li>{@link org.springframework.messaging.Message} with the value.</li>
 * </ul>
 * With {@link #batch()}, the arguments are a {@code List} of values, a
 * {@code List<DafkaRecord>}, or both. The method's return value is ignored. Exceptions
 * are passed to the error handler.
 * <p>
 * If the bean is not a singleton, such as a prototype, its listener is unregistered when
 * the bean is destroyed or garbage collected. The listener does not prevent the bean from
 * being garbage collected.
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
	 * @return topic names, at least one
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] topics() default {};

	/**
	 * Unique ID of this listener. It identifies the listener in the
	 * {@link DafkaListenerRegistry}, logs, and metrics, and also identifies its saved
	 * offsets. A listener with a new ID has no offsets. By default, the ID consists of
	 * the bean and method names, plus a number if this ID is taken. May contain
	 * placeholders.
	 * @return the ID; empty for the default
	 */
	String id() default "";

	/**
	 * Where to start in partitions without a saved offset, {@code earliest} or
	 * {@code latest}. By default, the consumer factory decides. May contain placeholders.
	 * @return the start; empty for the default
	 */
	String offsetReset() default "";

	/**
	 * Whether to call the method with lists of records instead of single records. A list
	 * may contain records of several partitions.
	 * @return {@code true} for lists
	 */
	boolean batch() default false;

	/**
	 * Name of the {@link DafkaErrorHandler} bean that handles failures. By default,
	 * failures are logged and their records are skipped. May contain placeholders.
	 * @return the bean name; empty for the default
	 */
	String errorHandler() default "";

	/**
	 * Whether to start with the application, {@code true} or {@code false}. If
	 * {@code false}, call {@link DafkaListenerRegistry#start(String)} to start the
	 * listener. May contain placeholders.
	 * @return {@code "true"} by default
	 */
	String autoStartup() default "true";

	/** Container for repeated annotations on one method. */
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Container {

		/**
		 * Annotations on the method.
		 * @return the annotations, at least two
		 */
		DafkaListener[] value();

	}

}
