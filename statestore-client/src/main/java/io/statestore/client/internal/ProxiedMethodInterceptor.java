package io.statestore.client.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.statestore.listener.AnnotatedMethodException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Base class for interceptors of annotated methods that are called through class proxies.
 * Checks the methods at startup.
 *
 * @param <A> the type of the annotation
 */
public abstract class ProxiedMethodInterceptor<A extends Annotation> implements MethodInterceptor {

	/** Methods to check again once all singletons exist. Thread-safe. */
	private final Queue<Method> found = new ConcurrentLinkedQueue<>();

	private final Class<A> annotation;

	/** Whether all singletons exist. */
	private volatile boolean complete;

	/**
	 * Creates an interceptor.
	 * @param annotation annotation of the intercepted methods
	 */
	protected ProxiedMethodInterceptor(Class<A> annotation) {
		this.annotation = annotation;
	}

	/**
	 * Checks a method when its bean is created.
	 * @param method the annotated method
	 * @throws AnnotatedMethodException if the method violates a rule of its annotation
	 */
	protected abstract void validate(Method method);

	/**
	 * Checks a method once all singletons exist.
	 * @param method the annotated method
	 * @throws AnnotatedMethodException if a bean that the method needs is missing
	 */
	protected abstract void validateBeans(Method method);

	/**
	 * Returns the advisor for a post-processor.
	 * @return an advisor that applies this interceptor to annotated methods
	 */
	public Advisor advisor() {
		return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, this.annotation, true), this);
	}

	/**
	 * Checks a bean's annotated methods.
	 * @param type the bean's class
	 * @throws AnnotatedMethodException if a method is not valid
	 */
	public void check(Class<?> type) {
		MethodIntrospector
			.selectMethods(type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, this.annotation))
			.forEach((method) -> check(type, method));
	}

	private void check(Class<?> type, Method method) {
		validate(method);
		int wrong = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
		if ((method.getModifiers() & wrong) != 0 || Modifier.isFinal(type.getModifiers())) {
			throw new AnnotatedMethodException(this.annotation, method,
					"cannot be called through a proxy of its class. "
							+ "Make the method neither private, static, nor final, and the class not final",
					null);
		}
		if (this.complete) {
			validateBeans(method);
		}
		else {
			this.found.add(method);
		}
	}

	/** Checks the beans that the methods need. Called once all singletons exist. */
	public void checkBeans() {
		this.complete = true;
		this.found.forEach(this::validateBeans);
		this.found.clear();
	}

	/**
	 * Returns the annotated method that a call invokes. It is the class's method, even if
	 * the call was made through an interface.
	 * @param invocation the intercepted call
	 * @return the method of the target class
	 */
	protected static Method annotated(MethodInvocation invocation) {
		Object target = Objects.requireNonNull(invocation.getThis());
		return AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target));
	}

	/**
	 * Returns a method's annotation.
	 * @param method the annotated method
	 * @return the merged annotation
	 */
	protected A annotation(Method method) {
		return Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, this.annotation));
	}

}
