package io.statestore.test;

import java.util.List;
import java.util.function.Supplier;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Provides all tests with the same {@link Browser}. Checks after each test that the pages
 * had no errors and sent no requests to other hosts. The browser is closed after the last
 * class, so classes with a browser run {@linkplain #LAST last}.
 */
public class BrowserExtension implements ParameterResolver, AfterEachCallback {

	/** Value of {@code @Order} for all classes with a browser. */
	public static final int LAST = Integer.MAX_VALUE;

	private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == Browser.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return browser(context);
	}

	/**
	 * Returns the browser shared by all classes.
	 * @param context context of a test or class
	 * @return the browser, started on first use
	 */
	protected static Browser browser(ExtensionContext context) {
		return shared(context, Browser.class, Browser::start);
	}

	/**
	 * Returns an object shared by all classes, which is closed after the last class.
	 * @param context context of a test or class
	 * @param type type of the object, which identifies it
	 * @param creator creates the object on first use
	 * @param <T> type of the object
	 * @return the shared object
	 */
	protected static <T> T shared(ExtensionContext context, Class<T> type, Supplier<T> creator) {
		return context.getRoot().getStore(NAMESPACE).computeIfAbsent(type, (key) -> creator.get(), type);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Browser browser = browser(context);
		if (context.getExecutionException().isPresent()) {
			browser.screenshot("failed-" + context.getRequiredTestMethod().getName(), ":root", "body");
		}
		assertEquals(List.of(), browser.problems(), "errors of the page");
		assertEquals(List.of(),
				browser.requests()
					.stream()
					.filter((url) -> !url.matches("(http://localhost:\\d+/.*|data:.*|about:.*)"))
					.toList(),
				"requests to other hosts");
	}

}
