package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

/**
 * Internal: annotated method of a bean. Not part of the API.
 *
 * @param <A> the annotation type
 * @param bean the bean, or a proxy of it
 * @param beanName name of the bean
 * @param beanType class that declares the method
 * @param method method to invoke on the bean
 * @param annotation one of the method's annotations
 * @param weak whether the bean is referenced weakly, so that it can be garbage collected
 */
public record AnnotatedMethod<A extends Annotation>(Object bean, String beanName, Class<?> beanType, Method method,
		A annotation, boolean weak) {

	/**
	 * Returns the types of the arguments, leaving out headers and some other types.
	 * @param others types of other arguments to leave out
	 * @return the types, in argument order
	 */
	public List<ResolvableType> arguments(Set<Class<?>> others) {
		return IntStream.range(0, this.method.getParameterCount())
			.mapToObj((i) -> new MethodParameter(this.method, i).withContainingClass(this.beanType))
			.filter((parameter) -> !isHeader(parameter) && !others.contains(parameter.getParameterType()))
			.map(ResolvableType::forMethodParameter)
			.toList();
	}

	/** Returns whether a parameter receives a header or all headers. */
	static boolean isHeader(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(Header.class) || parameter.hasParameterAnnotation(Headers.class);
	}

	/**
	 * Returns an exception to throw if the method cannot be a listener as declared.
	 * @param problem the problem, as the end of a sentence whose subject is the method
	 * @return an exception whose message names the method
	 */
	public AnnotatedMethodException invalid(String problem) {
		return invalid(problem, null);
	}

	AnnotatedMethodException invalid(String problem, @Nullable Throwable cause) {
		return new AnnotatedMethodException(
				'@' + this.annotation.annotationType().getSimpleName() + " method "
						+ this.method.getDeclaringClass().getName() + '.' + this.method.getName() + ' ' + problem,
				cause);
	}

}
