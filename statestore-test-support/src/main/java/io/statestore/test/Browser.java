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

/** Chromium without a window, controlled by Selenium. */
public final class Browser implements AutoCloseable {

	/** Limit of each wait. Suits a machine that runs other builds, too. */
	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final Duration POLL = Duration.ofMillis(50);

	/**
	 * Reports the lack of classes for the newest protocol of Chromium, which are not
	 * used.
	 */
	private static final Logger PROTOCOL_LOGGER = Logger.getLogger("org.openqa.selenium");

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	/**
	 * Starts a browser.
	 * @return the browser, to be closed
	 */
	public static Browser start() {
		PROTOCOL_LOGGER.setLevel(Level.SEVERE);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(Programs.get("chromium").toFile());
		// Containers have neither the privileges for the sandbox nor much shared memory.
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
				"--disable-background-networking", "--lang=en-US", "--hide-scrollbars", "--window-size=1280,1000");
		options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
		// With an executable, Selenium does not look for one to download.
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(Programs.get("chromedriver").toFile())
			.usingAnyFreePort()
			.build();
		return new Browser(new ChromeDriver(service, options));
	}

	public void open(String url) {
		this.driver.get(url);
	}

	/** Opens another window and makes it the current one. Returns the former one. */
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

	/** Closes the current window and makes another one the current one. */
	public void closeWindow(String next) {
		this.driver.close();
		use(next);
	}

	/** Sets the size of the page in CSS pixels, and the preferred colors. */
	public void emulate(int width, int height, boolean dark) {
		protocol("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
		protocol("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	public void scripts(boolean enabled) {
		protocol("Emulation.setScriptExecutionDisabled", Map.of("value", !enabled));
	}

	/** Calls a method of the protocol of Chromium. */
	public Map<String, Object> protocol(String method, Map<String, Object> parameters) {
		return this.driver.executeCdpCommand(method, parameters);
	}

	/** Runs a script in the page, and returns its result. */
	public @Nullable Object run(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	/** Returns the text of an element, {@code null} if there is none. */
	public @Nullable String text(String selector) {
		return (String) run("""
				const element = document.querySelector(arguments[0]);
				return element && element.textContent.replace(/\\s+/g, ' ').trim();""", selector);
	}

	public int count(String selector) {
		return ((Number) Objects.requireNonNull(run("return document.querySelectorAll(arguments[0]).length", selector)))
			.intValue();
	}

	/** Returns a property of an element as text. */
	public String property(String selector, String name) {
		return String.valueOf(run("return document.querySelector(arguments[0])[arguments[1]]", selector, name));
	}

	public WebElement element(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	/** Clicks an element as soon as it is there. */
	public void click(String selector) {
		await("click on " + selector, () -> {
			element(selector).click();
			return true;
		});
	}

	/** Sends keys to the element that has the focus. */
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
	 * Writes a picture of the page, after its animations.
	 * @param from element at its top
	 * @param to element at its bottom
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

	/** Returns and forgets the errors of the pages. */
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

	/** Returns and forgets the addresses that the pages have requested. */
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
