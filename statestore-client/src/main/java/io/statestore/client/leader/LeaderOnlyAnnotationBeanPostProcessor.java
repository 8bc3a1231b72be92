package io.statestore.client.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Bean post-processor that creates proxies which restrict {@link LeaderOnly} methods to
 * the leader. Declare it as a static bean method.
 */
public final class LeaderOnlyAnnotationBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	/** Methods whose roles are checked once all singletons exist. Thread-safe. */
	private final transient Queue<Method> found = new ConcurrentLinkedQueue<>();

	private transient @Nullable LeaderOnlyInterceptor interceptor;

	/** Whether all singletons exist. */
	private volatile boolean complete;

	/** Creates a post-processor that proxies classes. Its check precedes other advice. */
	public LeaderOnlyAnnotationBeanPostProcessor() {
		// Also intercepts methods that no interface declares.
		setProxyTargetClass(true);
		// Prevents a skipped call from starting a transaction.
		setBeforeExistingAdvisors(true);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		this.interceptor = new LeaderOnlyInterceptor((ConfigurableListableBeanFactory) beanFactory);
		Pointcut annotated = new AnnotationMatchingPointcut(null, LeaderOnly.class, true);
		this.advisor = new DefaultPointcutAdvisor(annotated, this.interceptor);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
			Set<Method> methods = MethodIntrospector.selectMethods(type,
					(Method method) -> AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class));
			methods.forEach((method) -> validate(type, method));
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	private void validate(Class<?> type, Method method) {
		if (method.getReturnType() != void.class) {
			throw new LeaderOnlyMethodException(method, "returns a value, which a skipped call does not have",
					"Change its return type to void");
		}
		int wrong = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
		if ((method.getModifiers() & wrong) != 0 || Modifier.isFinal(type.getModifiers())) {
			throw new LeaderOnlyMethodException(method, "cannot be called through a proxy of its class",
					"Make the method neither private, static, nor final, and the class not final");
		}
		if (this.complete) {
			requireInitiator(method);
		}
		else {
			this.found.add(method);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.complete = true;
		this.found.forEach(this::requireInitiator);
		this.found.clear();
	}

	private void requireInitiator(Method method) {
		if (this.interceptor != null) {
			this.interceptor.initiator(method);
		}
	}

}
