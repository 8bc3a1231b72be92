package io.statestore.sample.room;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Provides the tests with one {@link Browser} and one {@link LinePage}, and checks after
 * each test that the page had no errors and sent no request to another host. Both are
 * closed after the last class, so classes with a browser are the {@linkplain #LAST last}.
 */
final class BrowserExtension implements ParameterResolver, AfterEachCallback {

	/** Order of all classes with a browser. */
	static final int LAST = Integer.MAX_VALUE;

	private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		Class<?> type = parameter.getParameter().getType();
		return type == Browser.class || type == LinePage.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return (parameter.getParameter().getType() == Browser.class) ? browser(context) : page(context);
	}

	private static Browser browser(ExtensionContext context) {
		return store(context).computeIfAbsent(Browser.class, (type) -> Browser.start(), Browser.class);
	}

	private static LinePage page(ExtensionContext context) {
		Browser browser = browser(context);
		return store(context).computeIfAbsent(LinePage.class, (type) -> LinePage.start(browser), LinePage.class);
	}

	/** The store of the root closes its content after the last class. */
	private static Store store(ExtensionContext context) {
		return context.getRoot().getStore(NAMESPACE);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Browser browser = browser(context);
		if (context.getExecutionException().isPresent()) {
			browser.screenshot("failed-" + context.getRequiredTestMethod().getName(), ":root", "body");
		}
		assertThat(browser.problems()).as("errors of the page").isEmpty();
		assertThat(browser.requests()).as("requests of the page")
			.allMatch((url) -> url.matches("(http://localhost:\\d+/.*|data:.*|about:.*)"));
	}

}
