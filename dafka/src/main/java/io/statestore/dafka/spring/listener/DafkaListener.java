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
 * Calls the method with every record of some topics, in the order of each partition, one
 * call at a time, on a thread of the listener. What the listener is too slow for waits in
 * bounded memory and at the stores.
 * <p>
 * A record counts as consumed when the call has ended. Offsets are saved every second and
 * when the listener stops; after a crash the records since come again.
 * <p>
 * Arguments of the method, in any order:
 * <ul>
 * <li>the value, converted to the type of the argument,</li>
 * <li>{@link io.statestore.dafka.DafkaRecord} with everything there is to know,</li>
 * <li>{@link io.statestore.dafka.Position},
 * {@link io.statestore.dafka.TopicPartition},</li>
 * <li>{@code @Header} with a name of {@link DafkaHeaders},</li>
 * <li>{@link org.springframework.messaging.Message}.</li>
 * </ul>
 * With {@link #batch()} they are a {@code List} of values and a
 * {@code List<DafkaRecord>}, one or both. What the method returns is ignored. What it
 * throws goes to the error handler.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(DafkaListener.Container.class)
public @interface DafkaListener {

	/**
	 * The topics. {@code ${…}} and {@code #{…}} are resolved; an expression may give a
	 * text, or a collection or an array of texts.
	 */
	@AliasFor(annotation = MessageMapping.class, attribute = "value")
	String[] topics() default {};

	/**
	 * The name of this listener in the {@link DafkaListenerRegistry}, in logs and
	 * metrics, and of its offsets: with another name it begins again. Unique. By default
	 * the name of the bean and the method. May have placeholders.
	 */
	String id() default "";

	/**
	 * {@code earliest} or {@code latest}: where to begin in a partition of which there is
	 * no offset. By default what the consumer factory says. May have placeholders.
	 */
	String offsetReset() default "";

	/** Whether to call the method with lists of records instead of single ones. */
	boolean batch() default false;

	/**
	 * The name of the {@link DafkaErrorHandler} bean that decides about failures; by
	 * default they are logged and skipped. May have placeholders.
	 */
	String errorHandler() default "";

	/**
	 * {@code true} or {@code false}: whether to start with the application, or only when
	 * the {@link DafkaListenerRegistry} is told to. May have placeholders.
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
