package io.statestore.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Headless Chromium, controlled by Selenium. */
public final class Browser implements AutoCloseable {

	/** Timeout of each wait. Allows for a machine that also runs other builds. */
	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final Duration POLL = Duration.ofMillis(50);

	/**
	 * Logger that complains about missing classes for Chromium's newest protocol, which
	 * are not used.
	 */
	private static final Logger PROTOCOL_LOGGER = Logger.getLogger("org.openqa.selenium");

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	/**
	 * Starts a browser.
	 * @return a browser, which the caller must close
	 */
	public static Browser start() {
		PROTOCOL_LOGGER.setLevel(Level.SEVERE);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(Programs.get("chromium").toFile());
		// Containers lack privileges for the sandbox and have little shared memory.
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
				"--disable-background-networking", "--lang=en-US", "--hide-scrollbars", "--window-size=1280,1000");
		options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
		// If the executable is set, Selenium does not try to download a driver.
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(Programs.get("chromedriver").toFile())
			.usingAnyFreePort()
			.build();
		return new Browser(new ChromeDriver(service, options));
	}

	public void open(String url) {
		this.driver.get(url);
	}

	/** Opens another window and makes it current. Returns the previous window. */
	public String openWindow() {
		String former = this.driver.getWindowHandle();
		this.driver.switchTo().newWindow(WindowType.WINDOW);
		return former;
	}

	public String window() {
		return this.driver.getWindowHandle();
	}

	public void use(String window) {
		this.driver.switchTo().window(window);
	}

	/** Closes the current window and makes another window current. */
	public void closeWindow(String next) {
		this.driver.close();
		use(next);
	}

	/** Sets the page size, in CSS pixels, and the preferred color scheme. */
	public void emulate(int width, int height, boolean dark) {
		protocol("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
		protocol("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	public void scripts(boolean enabled) {
		protocol("Emulation.setScriptExecutionDisabled", Map.of("value", !enabled));
	}

	/** Calls a method of the Chrome DevTools protocol. */
	public Map<String, Object> protocol(String method, Map<String, Object> parameters) {
		return this.driver.executeCdpCommand(method, parameters);
	}

	/** Runs a script in the page and returns its result. */
	public @Nullable Object run(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	/** Returns an element's text; {@code null} if there is no such element. */
	public @Nullable String text(String selector) {
		return (String) run("""
				const element = document.querySelector(arguments[0]);
				return element && element.textContent.replace(/\\s+/g, ' ').trim();""", selector);
	}

	public int count(String selector) {
		return ((Number) Objects.requireNonNull(run("return document.querySelectorAll(arguments[0]).length", selector)))
			.intValue();
	}

	/** Returns an element's property as a string. */
	public String property(String selector, String name) {
		return String.valueOf(run("return document.querySelector(arguments[0])[arguments[1]]", selector, name));
	}

	public WebElement element(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	/** Clicks an element as soon as it exists. */
	public void click(String selector) {
		await("click on " + selector, () -> {
			element(selector).click();
			return true;
		});
	}

	/** Sends keys to the focused element. */
	public void press(CharSequence... keys) {
		actions().sendKeys(keys).perform();
	}

	public Actions actions() {
		return new Actions(this.driver);
	}

	public void awaitText(String selector, String regex) {
		await("text of " + selector + ": " + regex, () -> {
			String text = text(selector);
			return text != null && text.matches(regex);
		});
	}

	public void awaitCount(String selector, int count) {
		await(count + " of " + selector, () -> count(selector) == count);
	}

	public void await(String what, Supplier<Boolean> condition) {
		await(what, LIMIT, condition);
	}

	/** Waits for a condition while the page changes, which may replace elements. */
	public void await(String what, Duration limit, Supplier<Boolean> condition) {
		new WebDriverWait(this.driver, limit, POLL).withMessage(() -> what + "; the page shows " + text("body"))
			.ignoring(StaleElementReferenceException.class, ElementClickInterceptedException.class)
			.until((page) -> condition.get());
	}

	/**
	 * Writes a screenshot of the page after its animations have ended.
	 * @param from selector of the element at the top
	 * @param to selector of the element at the bottom
	 */
	@SuppressWarnings("unchecked")
	public void screenshot(String name, String from, String to) {
		Map<String, Object> clip = (Map<String, Object>) Objects.requireNonNull(
				run("""
						document.getAnimations().forEach((animation) => animation.finish());
						scrollTo(0, 0);
						const [top, bottom] = [arguments[0].getBoundingClientRect().top, arguments[1].getBoundingClientRect().bottom];
						const y = Math.max(0, top - 12);
						return { x: 0, y: y, width: innerWidth, height: bottom - y + 12, scale: innerWidth < 600 ? 2 : 1 };""",
						element(from), element(to)));
		Map<String, Object> result = protocol("Page.captureScreenshot",
				Map.of("captureBeyondViewport", true, "clip", clip));
		Screenshots.write(name, Base64.getDecoder().decode((String) result.get("data")));
	}

	/** Returns and clears the errors reported by pages. */
	public List<String> problems() {
		return this.driver.manage()
			.logs()
			.get("browser")
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().equals(Level.SEVERE))
			.map(LogEntry::getMessage)
			.toList();
	}

	/** Returns and clears the URLs requested by pages. */
	public List<String> requests() {
		List<String> requests = new ArrayList<>();
		for (LogEntry entry : this.driver.manage().logs().get("performance").getAll()) {
			Map<?, ?> message = child(new Json().toType(entry.getMessage(), Json.MAP_TYPE), "message");
			if ("Network.requestWillBeSent".equals(message.get("method"))) {
				requests.add(String.valueOf(child(child(message, "params"), "request").get("url")));
			}
		}
		return requests;
	}

	private static Map<?, ?> child(Map<?, ?> json, String name) {
		return (Map<?, ?>) Objects.requireNonNull(json.get(name));
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
