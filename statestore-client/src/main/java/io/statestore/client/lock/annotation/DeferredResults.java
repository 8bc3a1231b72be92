package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/** Results that a method returns before its work is done. */
final class DeferredResults {

	/** Types of Spring MVC, which is not a dependency of this library. */
	private static final Set<String> WEB_TYPES = Set.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private DeferredResults() {
	}

	/** Returns whether the declared result of a method is deferred. */
	static boolean isDeferred(Method method) {
		return KotlinDetector.isSuspendingFunction(method) || isDeferred(method.getReturnType())
				|| Arrays.stream(ResolvableType.forMethodReturnType(method).getGenerics())
					.anyMatch((body) -> isWebType(body.resolve(Object.class)));
	}

	/** Returns whether results of a type are deferred. */
	static boolean isDeferred(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| Flow.Publisher.class.isAssignableFrom(type) || Callable.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null || isWebType(type);
	}

	private static boolean isWebType(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (WEB_TYPES.contains(each.getName())
					|| Arrays.stream(each.getInterfaces()).map(Class::getName).anyMatch(WEB_TYPES::contains)) {
				return true;
			}
		}
		return false;
	}

}
