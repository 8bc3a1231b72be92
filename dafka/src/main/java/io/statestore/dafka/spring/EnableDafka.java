package io.statestore.dafka.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Enables {@link DafkaListener} methods. Requires a {@link DafkaConsumerFactory} bean.
 * {@link io.statestore.dafka.spring.DafkaValueConverter} and {@link DafkaListenerOptions}
 * beans are optional. Applications with the Spring Boot starter do not need this
 * annotation.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(DafkaListenerConfiguration.class)
public @interface EnableDafka {

}
