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
 * Marks a method as listener for the records of topics. It is called with every record,
 * in the order of each partition, one call at a time, on a thread of the listener. A slow
 * listener does not slow down producers that have a store: further records wait in
 * limited memory and in the stores.
 * <p>
 * A record counts as consumed when the call has ended. Offsets are saved at an interval,
 * every second by default, and when the listener stops. After a crash, the latest records
 * are delivered again.
 * <p>
 * The method accepts these arguments, in any order:
 * <ul>
 * <li>the value, converted to the type of the argument, and validated if it is annotated
 * with {@code @Valid} or {@code @Validated},</li>
 * <li>{@link io.statestore.dafka.DafkaRecord} with the content and its position,</li>
 * <li>{@link io.statestore.dafka.Position} and
 * {@link io.statestore.dafka.TopicPartition},</li>
 * <li>{@code @Header} with a name of {@link DafkaHeaders},</li>
 * <li>{@link org.springframework.messaging.Message} with the value.</li>
 * </ul>
 * With {@link #batch()}, the arguments are a {@code List} of values, a
 * {@code List<DafkaRecord>}, or both. The return value of the method is ignored. Its
 * exceptions are passed to the error handler.
 * <p>
 * A listener of a bean that is not a singleton, such as a prototype, is unregistered when
 * the bean is destroyed or garbage collected. It does not prevent the bean from being
 * collected.
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
	 * @return the topics, at least one
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] topics() default {};

	/**
	 * Unique id of this listener in the {@link DafkaListenerRegistry}, in logs and
	 * metrics, and of its offsets. A listener with a new id has no offsets. By default
	 * the names of bean and method, with a number for each further one. May contain
	 * placeholders.
	 * @return the id
	 */
	String id() default "";

	/**
	 * Start in partitions without an offset, {@code earliest} or {@code latest}. By
	 * default the setting of the consumer factory. May contain placeholders.
	 * @return the start
	 */
	String offsetReset() default "";

	/**
	 * Whether to call the method with lists of records instead of single ones. A list may
	 * contain records of several partitions.
	 * @return {@code true} for lists
	 */
	boolean batch() default false;

	/**
	 * Name of the {@link DafkaErrorHandler} bean that handles failures. By default,
	 * failures are logged and their records are skipped. May contain placeholders.
	 * @return the name
	 */
	String errorHandler() default "";

	/**
	 * Whether to start with the application, {@code true} or {@code false}. Otherwise,
	 * {@link DafkaListenerRegistry#start(String)} starts the listener. May contain
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
		DafkaListener[] value();

	}

}
