package io.statestore.client.proxy;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Bean post-processor that creates proxies of classes for methods with an annotation, and
 * checks these methods at startup. Its interceptor precedes existing advice.
 */
public abstract class ProxiedMethodPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	/** Methods that are checked again once all singletons exist. Thread-safe. */
	private final transient Queue<Method> found = new ConcurrentLinkedQueue<>();

	private final Class<? extends Annotation> annotation;

	/** Whether all singletons exist. */
	private volatile boolean complete;

	/**
	 * Creates a post-processor.
	 * @param annotation annotation of the methods
	 */
	protected ProxiedMethodPostProcessor(Class<? extends Annotation> annotation) {
		this.annotation = annotation;
		// Also intercepts methods that no interface declares.
		setProxyTargetClass(true);
		// For example, a call that is skipped must not start a transaction.
		setBeforeExistingAdvisors(true);
	}

	/**
	 * Creates the interceptor of the methods.
	 * @param beanFactory bean factory of this post-processor
	 * @return the interceptor
	 */
	protected abstract MethodInterceptor createInterceptor(ConfigurableListableBeanFactory beanFactory);

	/**
	 * Checks a method when its bean is created.
	 * @param method annotated method
	 * @throws ProxiedMethodException if the method violates a rule of its annotation
	 */
	protected abstract void validate(Method method);

	/**
	 * Checks a method once all singletons exist.
	 * @param method annotated method
	 * @throws ProxiedMethodException if a bean is missing that the method needs
	 */
	protected abstract void validateBeans(Method method);

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		this.advisor = new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, this.annotation, true),
				createInterceptor((ConfigurableListableBeanFactory) beanFactory));
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (isEligible(type)) {
			Set<Method> methods = MethodIntrospector.selectMethods(type,
					(Method method) -> AnnotatedElementUtils.hasAnnotation(method, this.annotation));
			methods.forEach((method) -> check(type, method));
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	private void check(Class<?> type, Method method) {
		validate(method);
		int wrong = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
		if ((method.getModifiers() & wrong) != 0 || Modifier.isFinal(type.getModifiers())) {
			throw new ProxiedMethodException(this.annotation, method, "cannot be called through a proxy of its class",
					"Make the method neither private, static, nor final, and the class not final", null);
		}
		if (this.complete) {
			validateBeans(method);
		}
		else {
			this.found.add(method);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.complete = true;
		this.found.forEach(this::validateBeans);
		this.found.clear();
	}

}
