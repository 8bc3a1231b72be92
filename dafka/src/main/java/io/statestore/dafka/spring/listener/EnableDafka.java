package io.statestore.dafka.spring.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Calls methods with {@link DafkaListener}. Needs one bean of the type
 * {@link DafkaConsumerFactory}; takes a
 * {@link io.statestore.dafka.spring.DafkaValueConverter} and {@link DafkaListenerOptions}
 * if there are some. Applications with the Spring Boot starter need not use it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(DafkaListenerConfiguration.class)
public @interface EnableDafka {

}
