package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/**
 * Internal: an annotated method of a bean. Not part of the API.
 *
 * @param <A> type of the annotation
 * @param bean the bean, or a proxy of it
 * @param beanName name of the bean
 * @param beanType class with the method
 * @param method method to invoke on the bean
 * @param annotation one of the annotations of the method
 * @param weak whether the listener must not prevent the bean from being collected
 */
public record AnnotatedMethod<A extends Annotation>(Object bean, String beanName, Class<?> beanType, Method method,
		A annotation, boolean weak) {
}
