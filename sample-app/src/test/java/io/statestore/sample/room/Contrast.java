package io.statestore.sample.room;

import java.util.List;
import java.util.Objects;

import io.statestore.test.Browser;

/**
 * Checks text contrast as defined by WCAG 2.2 (1.4.3, level AA): 4.5, or 3 for large
 * text.
 */
final class Contrast {

	private static final String SCRIPT = """
			const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
			const parse = (color) => {
				canvas.clearRect(0, 0, 1, 1);
				canvas.fillStyle = color;
				canvas.fillRect(0, 0, 1, 1);
				const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
				return [red, green, blue, alpha / 255];
			};
			const over = (top, bottom) => [0, 1, 2].map((i) => top[i] * top[3] + bottom[i] * (1 - top[3])).concat(1);
			const background = (element) => element
				? over(parse(getComputedStyle(element).backgroundColor), background(element.parentElement))
				: [255, 255, 255, 1];
			const luminance = (color) => [0.2126, 0.7152, 0.0722].map((weight, i) => {
				const part = color[i] / 255;
				return weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
			}).reduce((sum, part) => sum + part);
			const opacity = (element) => element
				? getComputedStyle(element).opacity * opacity(element.parentElement) : 1;
			const failures = [];
			let count = 0;
			const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (texts.nextNode()) {
				const text = texts.currentNode.textContent.trim();
				const element = texts.currentNode.parentElement;
				if (!text || !element.checkVisibility() || element.closest('.hidden, option, [aria-disabled=true]')) {
					continue;
				}
				const style = getComputedStyle(element);
				const behind = background(element);
				const color = parse(style.color);
				color[3] *= opacity(element);
				const [high, low] = [luminance(over(color, behind)), luminance(behind)].sort((a, b) => b - a);
				const ratio = (high + 0.05) / (low + 0.05);
				const size = parseFloat(style.fontSize);
				const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
				count++;
				if (ratio < (large ? 3 : 4.5)) {
					failures.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
				}
			}
			return [count, failures];""";

	private Contrast() {
	}

	/** Returns the texts with too little contrast. */
	@SuppressWarnings("unchecked")
	static List<String> failures(Browser browser) {
		List<Object> result = (List<Object>) Objects.requireNonNull(browser.run(SCRIPT));
		if (((Number) result.get(0)).intValue() < 50) {
			throw new IllegalStateException("Found only " + result.get(0) + " texts");
		}
		return (List<String>) result.get(1);
	}

}
