package io.statestore.console;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.test.Browser;
import io.statestore.test.BrowserExtension;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The page in a real browser, with a real application and broker. */
@Tag("long")
@Timeout(180)
@Order(BrowserExtension.LAST)
@ExtendWith(BrowserExtension.class)
@RequiresProgram({ "chromium", "chromedriver" })
class ConsolePageTests {

	private static final String MARKUP = "<img src=x onerror=alert(1)>";

	private static ConfigurableApplicationContext application;

	private final Browser browser;

	ConsolePageTests(Browser browser) {
		this.browser = browser;
	}

	@BeforeAll
	static void start(@TempDir Path directory) {
		application = ConsoleApplication.run(directory, LineAccess.class);
		StateStoreTemplate store = store();
		for (int i = 0; i < 230; i++) {
			store.set("line/%03d".formatted(i), "reading " + i);
		}
		store.set("line/json", "{\"degrees\":150.0,\"on\":true}", (spec) -> spec.expire(Duration.ofHours(1)));
		store.set("line/json", "{\"degrees\":151.0,\"on\":true}", (spec) -> spec.expire(Duration.ofHours(1)));
		store.set("line/" + "long".repeat(30), "value".repeat(100));
		store.set("line/" + MARKUP, MARKUP);
		store.set("secret/x", "hidden");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	private static StateStoreTemplate store() {
		return application.getBean(StateStoreTemplate.class);
	}

	@BeforeEach
	void emulate() {
		this.browser.emulate(1280, 1000, false);
	}

	private void open(String user) {
		this.browser.protocol("Network.enable", Map.of());
		this.browser.protocol("Network.setExtraHTTPHeaders",
				Map.of("headers", Map.of("Authorization", ConsoleAccessTests.authorization(user))));
		this.browser.open(ConsoleApplication.url(application));
		this.browser.awaitCount("#keys li", KeySearch.PAGE);
	}

	private void search(String pattern) {
		this.browser.run("document.getElementById('pattern').value = ''");
		this.browser.click("#pattern");
		this.browser.press(pattern, Keys.ENTER);
	}

	@Test
	void searchesAndOpensValueWithHistory() {
		open(ConsoleApplication.ADA);
		search("json");
		this.browser.awaitText("#count", "1 key");
		this.browser.click("#keys button");
		this.browser.awaitText("#entry-name", "line/json");
		this.browser.awaitText("#value", ".*\"degrees\" : 151.0,.*");
		assertThat(this.browser.property("#value", "textContent")).contains("\n");
		this.browser.awaitText("#facts", "Time to live3,[3-5]\\d\\d(\\.\\d)? s.*shown as json");
		this.browser.awaitCount("#history li", 2);
		this.browser.awaitText("#history li:first-child", ".*set.*151\\.0.*");
		this.browser.screenshot("console", ":root", "#entry");
		this.browser.press(Keys.ESCAPE);
		this.browser.awaitCount("#entry[open]", 0);
		search("line/000");
		this.browser.awaitText("#keys li", "line/000reading 0.*");
		this.browser.click("#keys button");
		this.browser.awaitText("#facts", "Time to livedoes not expire.*");
		this.browser.press(Keys.ESCAPE);
		search("absent");
		this.browser.awaitText("#count", "No key that you may read matches\\.");
	}

	@Test
	void readsMorePagesOnDemand() {
		open(ConsoleApplication.ADA);
		assertThat(this.browser.text("#count")).isEqualTo("100 keys, and more");
		this.browser.click("#more");
		this.browser.awaitCount("#keys li", 200);
		this.browser.click("#more");
		this.browser.awaitCount("#keys li", 234);
		assertThat(this.browser.property("#more", "hidden")).isEqualTo("true");
		assertThat(this.browser.text("#count")).isEqualTo("234 keys");
	}

	@Test
	void showsOnlyReadableKeys() {
		open(ConsoleApplication.LIN);
		search("secret");
		this.browser.awaitText("#count", "No key that you may read matches\\.");
		search("*");
		this.browser.awaitCount("#keys li", KeySearch.PAGE);
		this.browser.click("#more");
		this.browser.awaitCount("#keys li", 200);
		this.browser.click("#more");
		this.browser.awaitText("#count", "233 keys");
		assertThat(this.browser.text("body")).doesNotContain("secret", "hidden");
	}

	@Test
	void showsLocksAndServers() {
		open(ConsoleApplication.ADA);
		this.browser.click("#locks summary");
		this.browser.awaitText("#locks ul", "No lock that you may read is held\\.");
		this.browser.click("#clients summary");
		this.browser.awaitText("#clients ul", "(?s).*anonymous.*127\\.0\\.0\\.1.*");
		this.browser.click("#servers summary");
		this.browser.awaitText("#servers ul", "mqtt://.*");
	}

	@Test
	void showsMarkupAsText() {
		open(ConsoleApplication.ADA);
		search("onerror");
		this.browser.awaitText("#keys li", "line/" + MARKUP.replace("(", "\\(").replace(")", "\\)") + ".*");
		this.browser.click("#keys button");
		this.browser.awaitText("#value", "<img .*");
		assertThat(this.browser.count("img")).isZero();
		this.browser.press(Keys.ESCAPE);
	}

	@Test
	void keyboardSearchesMovesOpensAndCloses() {
		open(ConsoleApplication.ADA);
		this.browser.press("/");
		assertThat(focused("id")).isEqualTo("pattern");
		this.browser.press("line/00?", Keys.ENTER);
		this.browser.awaitCount("#keys li", 10);
		this.browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
		assertThat(focused("textContent")).startsWith("line/001");
		assertThat(this.browser.run("return getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
		this.browser.press(Keys.ENTER);
		this.browser.awaitText("#entry[open] #value", "reading 1");
		this.browser.press(Keys.ESCAPE);
		this.browser.awaitCount("#entry[open]", 0);
		assertThat(focused("textContent")).startsWith("line/001");
		this.browser.press(Keys.ARROW_UP, Keys.ARROW_UP);
		assertThat(focused("id")).isEqualTo("pattern");
		this.browser.press(Keys.TAB, Keys.TAB);
		assertThat(focused("textContent")).startsWith("line/000");
	}

	private String focused(String property) {
		return String.valueOf(this.browser.run("return document.activeElement[arguments[0]]", property));
	}

	@Test
	void fitsPhoneInBothColorSchemes() {
		for (boolean dark : new boolean[] { false, true }) {
			this.browser.emulate(360, 760, dark);
			open(ConsoleApplication.ADA);
			search("long");
			this.browser.awaitCount("#keys li", 1);
			assertThat(this.browser.property(":root", "scrollWidth")).isEqualTo("360");
			this.browser.screenshot("phone" + (dark ? "-dark" : ""), ":root", "body");
			this.browser.click("#keys button");
			this.browser.awaitText("#value", "value.*");
			assertThat(this.browser.property("#entry", "scrollWidth"))
				.isEqualTo(this.browser.property("#entry", "clientWidth"));
			assertThat(lightness("backgroundColor") < lightness("color")).isEqualTo(dark);
			this.browser.press(Keys.ESCAPE);
		}
	}

	private int lightness(String property) {
		String color = String.valueOf(
				this.browser.run("return getComputedStyle(document.getElementById('entry'))[arguments[0]]", property));
		return Integer.parseInt(color.replaceAll("\\D+(\\d+).*", "$1"));
	}

	@Test
	void explainsOutageAndRecovers() {
		open(ConsoleApplication.ADA);
		StateStoreConnection connection = application.getBean(StateStoreConnection.class);
		connection.stop();
		try {
			search("json");
			this.browser.awaitText("#problem", "The store does not answer: .* The page tries again\\.");
			assertThat(this.browser.text("#problem")).doesNotContain("Exception", "\tat ");
		}
		finally {
			connection.start();
		}
		this.browser.awaitText("#problem", "");
		this.browser.awaitText("#count", "1 key");
		assertThat(this.browser.problems()).isNotEmpty().allMatch((problem) -> problem.contains("503"));
		assertThat(Objects.requireNonNull(this.browser.text("#keys li"))).startsWith("line/json");
	}

}
