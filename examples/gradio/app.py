import gradio as gr

gr.Interface(fn=lambda name: f"Hello {name}", inputs="text", outputs="text").launch()
