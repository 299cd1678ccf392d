import streamlit as st

st.title("Hello from Streamlit")
